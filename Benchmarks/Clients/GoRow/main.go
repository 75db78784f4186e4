// The row of Go's net/http, with the command line of Row/Work.swift: only the kind "get".
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 6 || os.Args[1] != "get" {
		fail(fmt.Errorf("go-row get URL COUNT CONCURRENCY WARM"))
	}
	url, count, concurrency, warm := os.Args[2], number(os.Args[3]), number(os.Args[4]), number(os.Args[5])
	client := &http.Client{Transport: transport(concurrency)}
	makeRequests(client, url, warm, concurrency)
	cpu, clock := processorTime(), time.Now()
	makeRequests(client, url, count, concurrency)
	fmt.Printf("{\"requests\": %d, \"cpu\": %g, \"wall\": %g, \"peak\": %d}\n",
		count, processorTime()-cpu, time.Since(clock).Seconds(), peakMemory())
}

// Over TLS the server selects HTTP/2 by ALPN. The default of two idle connections would close the others.
func transport(concurrency int) *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = concurrency
	transport.MaxConnsPerHost = concurrency
	transport.DisableCompression = true
	if path := os.Getenv("LUPINE_CA"); path != "" {
		roots := x509.NewCertPool()
		text, err := os.ReadFile(path)
		fail(err)
		roots.AppendCertsFromPEM(text)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return transport
}

func makeRequests(client *http.Client, url string, count, concurrency int) {
	var next atomic.Int64
	var tasks sync.WaitGroup
	for task := 0; task < concurrency; task++ {
		tasks.Add(1)
		go func() {
			defer tasks.Done()
			for next.Add(1) <= int64(count) {
				fetch(client, url)
			}
		}()
	}
	tasks.Wait()
}

func fetch(client *http.Client, url string) []byte {
	response, err := client.Get(url)
	fail(err)
	body, err := io.ReadAll(response.Body)
	fail(err)
	fail(response.Body.Close())
	if response.StatusCode/100 != 2 {
		fail(fmt.Errorf("status %s", response.Status))
	}
	return body
}

// The processor time of all threads in seconds, of the program and of the kernel.
func processorTime() float64 {
	var usage syscall.Rusage
	fail(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func seconds(value syscall.Timeval) float64 { return float64(value.Sec) + float64(value.Usec)/1e6 }

// The peak memory in kilobytes.
func peakMemory() int {
	status, err := os.ReadFile("/proc/self/status")
	fail(err)
	for _, line := range strings.Split(string(status), "\n") {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "VmHWM:" {
			return number(words[1])
		}
	}
	return 0
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	fail(err)
	return value
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, os.Args[0]+":", err)
		os.Exit(1)
	}
}
