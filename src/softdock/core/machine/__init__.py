"""How plain functions become one machine code: decorators, doors, parameter vector, state,
record, specialisation."""
