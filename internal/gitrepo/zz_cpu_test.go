package gitrepo_test
import ("syscall";"testing")
func cpu() float64 { var a,b syscall.Rusage; syscall.Getrusage(0,&a); syscall.Getrusage(-1,&b)
 f:=func(t syscall.Timeval) float64 {return float64(t.Sec)*1e3+float64(t.Usec)/1e3}
 return f(a.Utime)+f(a.Stime)+f(b.Utime)+f(b.Stime)}
func BenchmarkCPU(b *testing.B){
 dir:=large(b); treeID(b,dir); treeID(b,dir)
 run:=func(name string, f func()) { s:=cpu(); for range 8 {f()}; b.Logf("%-20s %.0f cpu-ms", name, (cpu()-s)/8) }
 run("status", func(){status(b,dir)})
 run("tree", func(){treeID(b,dir)})
 n:=0
 run("edited", func(){n++; write(b,dir,"pkg10/mod10/file10.go",string(rune('a'+n))); treeID(b,dir)})
 run("config", func(){git(b,dir,"config","-l")})
 run("ls -o", func(){git(b,dir,"ls-files","-o","--exclude-standard")})
 run("true", func(){git(b,dir,"version")})
}
