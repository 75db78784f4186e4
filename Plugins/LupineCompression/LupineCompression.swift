// LupineCompression
