// LupineCurl
