package memorysidecar

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	pb "github.com/memory-sidecar/memory-sidecar/clients/go/memorysidecar/v1"
)

// Options are the options of a preset by their names.
type Options map[string]any

// Preset chooses a policy of the server by its name. The server refuses unknown names and options;
// Sessions.ListPolicyPresets gives all of them. Preset panics if an option has no form in JSON.
func Preset(name string, options Options) *pb.PolicyChoice {
	fields := &structpb.Struct{}
	text, err := json.Marshal(options)
	if err == nil && len(options) > 0 {
		err = protojson.Unmarshal(text, fields)
	}
	if err != nil {
		panic(fmt.Sprintf("an option of the preset %s has no form in JSON: %v", name, err))
	}
	return &pb.PolicyChoice{Choice: &pb.PolicyChoice_Preset{Preset: &pb.Preset{Name: name, Options: fields}}}
}

// MakePolicy chooses a policy of these stages. A stage acts always, on append and on whole turns
// unless its other fields say otherwise.
func MakePolicy(stages ...*pb.PolicyStage) *pb.PolicyChoice {
	return ChoosePolicy(&pb.Policy{Stages: stages})
}

// ChoosePolicy chooses a policy that is written out.
func ChoosePolicy(policy *pb.Policy) *pb.PolicyChoice {
	return &pb.PolicyChoice{Choice: &pb.PolicyChoice_Policy{Policy: policy}}
}

// DropOldest removes the oldest units until the limits hold.
func DropOldest(name string, limits *pb.DropOldest) *pb.PolicyStage {
	return &pb.PolicyStage{Name: name, Select: &pb.PolicyStage_DropOldest{DropOldest: limits}}
}

// KeepLast keeps the newest units.
func KeepLast(name string, unitCount int32) *pb.PolicyStage {
	return &pb.PolicyStage{Name: name, Select: &pb.PolicyStage_KeepLast{KeepLast: &pb.KeepLast{UnitCount: &unitCount}}}
}

// PackNewest takes units from the newest backwards while they fit a budget.
func PackNewest(name string, budget *pb.PackNewest) *pb.PolicyStage {
	return &pb.PolicyStage{Name: name, Select: &pb.PolicyStage_PackNewest{PackNewest: budget}}
}

// PinMiddleRecent keeps the first and the newest messages and removes those between.
func PinMiddleRecent(name string, ends *pb.PinMiddleRecent) *pb.PolicyStage {
	return &pb.PolicyStage{Name: name, Select: &pb.PolicyStage_PinMiddleRecent{PinMiddleRecent: ends}}
}

// Filter keeps only what meets all conditions, which are written in CEL.
func Filter(name string, conditions ...string) *pb.PolicyStage {
	return &pb.PolicyStage{Name: name, Select: &pb.PolicyStage_Filter{Filter: &pb.Filter{Conditions: conditions}}}
}

// Shorten cuts long contents down.
func Shorten(name string, what *pb.Shorten) *pb.PolicyStage {
	return &pb.PolicyStage{Name: name, Select: &pb.PolicyStage_Shorten{Shorten: what}}
}

// DropDuplicates removes messages that say nearly the same as a newer one.
func DropDuplicates(name string, likeness *pb.DropDuplicates) *pb.PolicyStage {
	return &pb.PolicyStage{Name: name, Select: &pb.PolicyStage_DropDuplicates{DropDuplicates: likeness}}
}
