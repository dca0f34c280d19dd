package main

import (
	"fmt"

	"github.com/consensys/gnark/backend/plonk"
	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/frontend/cs/scs"
	"github.com/consensys/gnark/test/unsafekzg"
)

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

// The keys are not those of snarkjs: gnark has its own order of gates and wires.
func preparePlonk(work Work) *task {
	curve, steps := known(work.Curve), 1<<work.LogSize-6
	system, err := frontend.Compile(curve.ScalarField(), scs.NewBuilder, &gates{chain{steps: steps}})
	check(err)
	if rows := system.GetNbConstraints() + 1; rows > 1<<work.LogSize {
		check(fmt.Errorf("%d rows, more than 2^%d", rows, work.LogSize))
	}
	values, shown := assigned(curve, steps)
	// Of a secret that is generated and forgotten: for measurements only.
	powers, lagrange, err := unsafekzg.NewSRS(system)
	check(err)
	key, verifying, err := plonk.Setup(system, powers, lagrange)
	check(err)
	return &task{system, values, func() (func() error, error) {
		proof, err := plonk.Prove(system, key, values)
		return func() error { return plonk.Verify(proof, verifying, shown) }, err
	}}
}
