package memorysidecar

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
)

// parseAddress turns an address into a target of gRPC, and says whether it leads to this host.
func parseAddress(address string) (target string, local bool, err error) {
	path, isUnix := strings.CutPrefix(address, "unix:")
	if isUnix || strings.HasPrefix(address, "/") || strings.HasPrefix(address, "./") || strings.HasPrefix(address, "../") {
		path, err := filepath.Abs(path)
		return "unix:" + path, true, err
	}
	host, port, err := net.SplitHostPort(address)
	number, wrong := strconv.ParseUint(port, 10, 16)
	if err != nil || wrong != nil || number == 0 || host == "" || strings.ContainsAny(host, "/ ") {
		return "", false, fmt.Errorf("the address must be host:port, unix:/path or a path, not %q", address)
	}
	ip := net.ParseIP(host)
	return "dns:///" + address, host == "localhost" || ip != nil && ip.IsLoopback(), nil
}
