// Package lines is the interface of the peer's programs: it reads a line of work and writes its seconds.
package lines

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"
)

// Answer prints, for each line of standard input, the seconds of the task that `prepare` returns. `prepare` returns nil for
// unsupported work; then, as after every other error, the program ends.
func Answer[Work any](prepare func(Work) (task func() error)) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var work Work
		if err := json.Unmarshal(lines.Bytes(), &work); err != nil {
			Fail(err)
		}
		task := prepare(work)
		if task == nil {
			Fail(fmt.Errorf("unsupported: %s", lines.Text()))
		}
		start := time.Now()
		if err := task(); err != nil {
			Fail(err)
		}
		fmt.Printf("%e\n", time.Since(start).Seconds())
	}
}

// Kept wraps `prepare`, which runs on all processors, and returns its last result again while the request stays the same.
func Kept[Wanted comparable, Made any](prepare func(Wanted) Made) func(Wanted) Made {
	var last *Wanted
	var made Made
	return func(wanted Wanted) Made {
		if last == nil || *last != wanted {
			runtime.GOMAXPROCS(runtime.NumCPU())
			last, made = &wanted, prepare(wanted)
			runtime.GC()
		}
		return made
	}
}

// Repeated runs a task repeatedly, up to the first error.
func Repeated(times int, task func() error) func() error {
	return func() error {
		for i := 0; i < times; i++ {
			if err := task(); err != nil {
				return err
			}
		}
		return nil
	}
}

// Fail ends the program with an error.
func Fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
