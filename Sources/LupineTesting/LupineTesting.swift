// LupineTesting
