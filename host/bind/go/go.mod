module github.com/proofmill/proofmill/host/bind/go

go 1.21
