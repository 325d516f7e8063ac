"""Our own method: the energy that the loop invented is paid back."""
