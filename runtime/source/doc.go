// Package source says where a pod's files may come from: whether a git or tarball URL that a user gave may be used at all, and it has what connects to it so that nothing else is reached.
//
// What it promises, of a URL that Policy.Parse let through and of what is then connected to through a Dialer, a client or a proxy of this package:
//
//   - it has one reading: git, curl, ssh and Go find the same host, port and user in it, and none of them finds an option;
//   - it carries no password, and what this package says of a URL, let through or refused, has neither userinfo of a refused one nor a query;
//   - no connection is made to an address that the policy refuses, whatever the name resolved to before (each connection is judged again, by the address that it really goes to) and wherever a redirect leads;
//   - time, bytes, addresses, redirects and connections are bounded.
//
// What it does not promise: the user inside a container reaches whatever the container's network lets it, and no URL is needed for that. This guards what the server does with a URL that it was given, with its own network and its own tokens.
// Nor does it judge what is in the files. A git that is not run with Proxy.GitEnv is not held by the proxy, and the proxy carries https only: not ssh, nor plain http. The proxy asks nobody who they are: whoever is on this machine may use it, for what the policy lets through.
//
// Nothing uses it yet: the clone of a boot (runtime/boot) goes by git alone, inside the container.
//
// It imports nothing of the project, and is pure in all that judges; dial.go alone resolves and connects, for client.go (tarballs) and proxy.go (git). Read source.go first, then policy.go; addresses.go is the list of what is not public.
package source
