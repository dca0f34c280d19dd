package main

import (
	"fmt"
	"time"

	"github.com/consensys/gnark/backend/plonk"
	"github.com/consensys/gnark/backend/witness"
	"github.com/consensys/gnark/constraint"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/scs"
	"github.com/consensys/gnark/test/unsafekzg"
)

// The state for PLONK. The keys are not those of snarkjs: gnark has its own order of gates and wires.
type plonkTask struct {
	system        constraint.ConstraintSystem
	key           plonk.ProvingKey
	verifying     plonk.VerifyingKey
	values, shown witness.Witness
}

// A chain with one gate for each step, as snarkjs has one for each constraint: the builder's own sum has two.
type gates struct{ chain }

func (c *gates) Define(api frontend.API) error {
	x := c.Start
	for i := range c.steps {
		x = api.(frontend.PlonkAPI).EvaluatePlonkExpression(x, x, 0, 0, 1, i)
	}
	api.AssertIsEqual(x, c.End)
	return nil
}

// Returns a proof's seconds without those of gnark's solver.
func (t *plonkTask) seconds() float64 {
	start := time.Now()
	_, err := t.system.Solve(t.values)
	check(err)
	solved := time.Now()
	proof, err := plonk.Prove(t.system, t.key, t.values)
	check(err)
	proved := time.Now()
	check(plonk.Verify(proof, t.verifying, t.shown))
	return (proved.Sub(solved) - solved.Sub(start)).Seconds()
}

func preparePlonk(work Work) *plonkTask {
	curve, steps := known(work.Curve), 1<<work.LogSize-6
	system, err := frontend.Compile(curve.ScalarField(), scs.NewBuilder, &gates{chain{steps: steps}})
	check(err)
	if rows := system.GetNbConstraints() + 1; rows > 1<<work.LogSize {
		check(fmt.Errorf("%d rows, more than 2^%d", rows, work.LogSize))
	}
	t := &plonkTask{system: system}
	t.values, t.shown = assigned(curve, steps)
	// Of a secret that is generated and forgotten: for measurements only.
	powers, lagrange, err := unsafekzg.NewSRS(system)
	check(err)
	t.key, t.verifying, err = plonk.Setup(system, powers, lagrange)
	check(err)
	return t
}
