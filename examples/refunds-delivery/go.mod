// This module is never built. It keeps the attempts, which belong into a copy of
// ../refunds, out of the main module.
module example.com/refunds-delivery

go 1.26
