// LupineCore
