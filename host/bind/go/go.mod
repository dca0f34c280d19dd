module proofmill

go 1.21
