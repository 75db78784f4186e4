// LupineMock
