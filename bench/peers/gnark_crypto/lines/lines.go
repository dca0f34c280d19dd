// Package lines is the door of the peer's programs: a line of work in, its seconds out.
package lines

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"
)

// Answer prints, for each line of standard input, the seconds that the task takes which is prepared for it. `prepare` gives
// nil for work that cannot be done here; then, as after every other error, the program ends.
func Answer[Work any](prepare func(Work) (task func() error)) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var work Work
		if err := json.Unmarshal(lines.Bytes(), &work); err != nil {
			Fail(err)
		}
		task := prepare(work)
		if task == nil {
			Fail(fmt.Errorf("not to be done here: %s", lines.Text()))
		}
		start := time.Now()
		if err := task(); err != nil {
			Fail(err)
		}
		fmt.Printf("%e\n", time.Since(start).Seconds())
	}
}

// Kept is `prepare`, on all processors, whose last result is given again while what is wanted stays the same.
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

// Repeated is a task so many times, up to the first error.
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
