// Command refundsd serves the refunds service on loopback.
package main

import (
	"flag"
	"log"
	"net/http"
	"time"

	"example.com/refunds/api"
	"example.com/refunds/payments"
	"example.com/refunds/refunds"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on")
	flag.Parse()
	h := &api.Handler{Book: payments.NewBook(), Policy: refunds.Default(), Now: time.Now}
	srv := &http.Server{Addr: *addr, Handler: h.Routes(), ReadHeaderTimeout: 5 * time.Second}
	log.Printf("listening on %s", *addr)
	log.Fatal(srv.ListenAndServe())
}
