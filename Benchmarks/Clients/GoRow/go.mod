module lupine/gorow

go 1.19
