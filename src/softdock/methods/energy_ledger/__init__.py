"""Our own method: the energy that the loop added is removed."""
