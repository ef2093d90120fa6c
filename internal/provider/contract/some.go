package contract

import "os"

// Exhaust is the variable that has every trial made. Without it the tests make every
// fourth, other ones for each kind of fault, since all of them take minutes.
const Exhaust = "ASTERWEAVE_EXHAUST"

// Some reports whether trial i of a series is to be made.
func Some(series, i int) bool { return os.Getenv(Exhaust) != "" || i%4 == series%4 }
