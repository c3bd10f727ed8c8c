// Command go-agent is an agent whose memory is a sidecar: it answers questions with two tools, keeps
// what it was told, and goes on where it was after the server or the agent itself was killed.
//
// It writes one JSON object a line about each step, for people and for the test that runs it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"os"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// gRPC itself repeats what is UNAVAILABLE: then nothing was done, or a connection broke and the
// request id makes the repeat safe. Calls wait for a server that is away. A watch has no deadline.
const serviceConfig = `{
  "methodConfig": [{
    "name": [{}],
    "waitForReady": true,
    "timeout": "60s",
    "retryPolicy": {
      "maxAttempts": 5,
      "initialBackoff": "0.2s",
      "maxBackoff": "3s",
      "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"]
    }
  }, {
    "name": [{"service": "memorysidecar.v1.EventService", "method": "WatchEvents"}],
    "waitForReady": true
  }]
}`

// token is sent with every call.
type token string

func (t token) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(t)}, nil
}

// RequireTransportSecurity allows the plain connection to a sidecar on the same host.
func (token) RequireTransportSecurity() bool { return false }

func connect(address string, options ...grpc.DialOption) (*grpc.ClientConn, error) {
	return grpc.NewClient(address, append(options,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(serviceConfig))...)
}

var output sync.Mutex

// report writes a line about a step.
func report(step string, fields map[string]any) {
	output.Lock()
	defer output.Unlock()
	line := map[string]any{"step": step}
	for name, value := range fields {
		line[name] = value
	}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address, secret, statePath string, turns int) error {
	conn, err := connect(address, grpc.WithPerRPCCredentials(token(secret)))
	if err != nil {
		return err
	}
	defer conn.Close()
	state, err := loadState(statePath)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	trims := newTrimWatch(conn, state)
	watching := make(chan struct{})
	go func() { cancel(trims.run(ctx, sync.OnceFunc(func() { close(watching) }))) }()
	select {
	case <-watching: // From here on no event is missed.
	case <-ctx.Done():
		return context.Cause(ctx)
	}

	agent := newAgent(conn, state)
	if err := agent.work(ctx, turns); err != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	if err := trims.wait(ctx, agent.lastTrim); err != nil {
		return err
	}
	if err := showErrors(ctx, conn, address); err != nil {
		return err
	}
	report("done", nil)
	return nil
}

func main() {
	address := flag.String("address", "127.0.0.1:50151", "where the server listens")
	secret := flag.String("token", "", "the bearer token")
	statePath := flag.String("state", "go-agent.json", "the file with what the agent knows of itself")
	turns := flag.Int("turns", 12, "how many questions to answer")
	flag.Parse()
	if err := run(context.Background(), *address, *secret, *statePath, *turns); err != nil {
		log.Fatal(err)
	}
}
