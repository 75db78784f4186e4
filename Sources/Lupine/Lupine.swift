// Lupine
