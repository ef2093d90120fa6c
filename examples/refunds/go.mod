module example.com/refunds

go 1.26
