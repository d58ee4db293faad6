package source

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A hostile URL is one that must not be let through, with the reason that must be given.
type hostile struct {
	raw    string
	reason Reason
}

// secret is what no error may show.
const secret = "hunter2"

// hostiles are URLs by what they try.
func hostiles() map[string][]hostile {
	return map[string][]hostile{
		"schemes": {
			{"file:///etc/passwd", ReasonScheme},
			{"/etc/passwd", ReasonScheme},
			{"../other/pod", ReasonScheme},
			{"git://good.example/x.git", ReasonScheme},
			{"ext::sh", ReasonScheme},
			{"ext::sh%20-c%20touch%20/tmp/x", ReasonScheme},
			{"ext::ssh://git@good.example/x", ReasonScheme},
			{"fd::17/foo", ReasonScheme},
			{"git+ssh://git@good.example/x", ReasonScheme},
			{"ftp://good.example/x.tar", ReasonScheme},
			{"gopher://good.example/_x", ReasonScheme},
			{"data:application/x-tar;base64,AAAA", ReasonScheme},
			{"javascript:alert(1)", ReasonScheme},
			{"unix:///var/run/docker.sock", ReasonScheme},
			{"http://good.example/x.git", ReasonScheme},
			{"ssh://git@good.example/x.tar.gz?kind=tarball", ReasonForm},
			{"good.example/x.git", ReasonScheme},
			{"good.example:x.git", ReasonScheme},
			{"https:good.example/x", ReasonScheme},
			{"https:/good.example/x", ReasonScheme},
			{"https:///good.example/x", ReasonHost},
			{"://good.example/x", ReasonScheme},
		},
		"credentials": {
			{"https://user:hunter2@good.example/x.git", ReasonCredentials},
			{"https://hunter2@good.example/x.git", ReasonCredentials},
			{"https://:hunter2@good.example/x.git", ReasonCredentials},
			{"https://@good.example/x.git", ReasonCredentials},
			{"https://user:hun@ter2@good.example/x.git", ReasonCredentials},
			{"https://user:p/hunter2@good.example/x.git", ReasonForm},
			{"https://user/hunter2@good.example/x.git", ReasonForm},
			{"https://user:%68unter2@good.example/x.git", ReasonForm},
			{"https://user:p?hunter2@good.example/x.git", ReasonForm},
			{"https://user:p#hunter2@good.example/x.git", ReasonForm},
			{"ssh://git:hunter2@good.example/x.git", ReasonCredentials},
			{"ssh://git:@good.example/x.git", ReasonCredentials},
			{"git:hunter2@good.example:x.git", ReasonCredentials},
			{"hunter2:x-oauth-basic@good.example/x.git", ReasonCredentials},
			{"HTTPS://user:hunter2@GOOD.EXAMPLE/x.git", ReasonCredentials},
		},
		"two readings": {
			{`https://good.example\@evil.example/x.git`, ReasonCharacter},
			{`https://good.example\.evil.example/x.git`, ReasonCharacter},
			{`https:\\good.example\x.git`, ReasonCharacter},
			{"https://good.example#@evil.example/x.git", ReasonForm},
			{"https://good.example/x.git#frag", ReasonForm},
			{"https://good.example?@evil.example/x.tar", ReasonForm},
			{"https://good.example/@evil.example/x.tar", ReasonForm},
			{"https://good.example:443@evil.example/x.git", ReasonCredentials},
			{"https://good.example:@evil.example/x.git", ReasonCredentials},
			{"https://good.example%2f@evil.example/x.git", ReasonForm},
			{"https://good.example%00.evil.example/x.git", ReasonForm},
			{"https://%31%32%37.0.0.1/x.git", ReasonForm},
			{"https://good.example%23@evil.example/x", ReasonForm},
			{"https://good\t.example/x.git", ReasonCharacter},
			{"https://good.example/x\n.git", ReasonCharacter},
			{"https://good.example/x.git\r\nHost: evil.example", ReasonCharacter},
			{" https://good.example/x.git", ReasonCharacter},
			{"https://good.example/x.git ", ReasonCharacter},
			{"https://good.example/x\x00.git", ReasonCharacter},
			{"https://good.example/x\x7f.git", ReasonCharacter},
			{"https://good.example/%0d%0ahost:evil", ReasonPath},
			{"https://good.example/a%0aprotocol=x", ReasonCharacter},
			{"https://good.example/a%00b", ReasonCharacter},
			{"https://good.example/a%5cb", ReasonCharacter},
			{"https://good.example/a%zz", ReasonForm},
			{"https://good.example/../x.git", ReasonPath},
			{"https://good.example/%2e%2e/x.git", ReasonPath},
			{"https://good.example//evil.example/x.git", ReasonPath},
			{"https://good.example/x.git?service=x", ReasonForm},
			{"https://good.example/x.tar?", ReasonForm},
			{"https://good.example/x.tar?a=%0d%0a", ReasonCharacter},
			{"https://good.example", ReasonPath},
			{"https://good.example/", ReasonPath},
			{"https://good.example<x>/x.git", ReasonCharacter},
			{"git@good.example:2222/x.git", ReasonForm},
			{"git@good.example:x@evil.example:y", ReasonForm},
			{"git@evil.example@good.example:x", ReasonHost},
			{"git@good.example/evil.example:x", ReasonForm},
			{"git@[good.example:22]:x", ReasonForm},
			{"git@[::1]:x", ReasonForm},
			{"git@good.example:", ReasonPath},
			{"git@:x.git", ReasonHost},
			{"ssh://git@good.example/%2dx", ReasonPath},
		},
		"options": {
			{"--upload-pack=touch", ReasonOption},
			{"-oProxyCommand=x@good.example:x", ReasonOption},
			{"ssh://-oProxyCommand=gnome-calculator/x", ReasonOption},
			{"ssh://git@-oProxyCommand=x/x", ReasonOption},
			{"ssh://-oProxyCommand=x@good.example/x", ReasonOption},
			{"git@-oProxyCommand=x:x", ReasonOption},
			{"git@good.example:--upload-pack=x", ReasonOption},
			{"git@good.example:-x", ReasonOption},
			{"ssh://git@good.example/-x", ReasonOption},
			{"https://good.example/-x.git", ReasonOption},
			{"https://good.example/a/--template=x", ReasonOption},
			{"https://good.example/a/-x.git/", ReasonOption},
			{"https://good.example/a/%2dx", ReasonOption},
			{"https://-good.example/x.git", ReasonOption},
			{"ssh://git$(id)@good.example/x", ReasonForm},
			{"ssh://git@good.example/$(id)", ReasonPath},
			{"https://good.example/a;id", ReasonPath},
		},
		"numbers": {
			{"https://2130706433/x.git", ReasonNumber},
			{"https://017700000001/x.git", ReasonNumber},
			{"https://0177.0.0.1/x.git", ReasonNumber},
			{"https://0x7f000001/x.git", ReasonNumber},
			{"https://0X7F.1/x.git", ReasonNumber},
			{"https://0x7f.0x0.0x0.0x1/x.git", ReasonNumber},
			{"https://127.1/x.git", ReasonNumber},
			{"https://127.0.1/x.git", ReasonNumber},
			{"https://0/x.git", ReasonNumber},
			{"https://127.0.0.1./x.git", ReasonNumber},
			{"https://127.0.0.01/x.git", ReasonNumber},
			{"https://8.8.8.010/x.git", ReasonNumber},
			{"https://256.256.256.256/x.git", ReasonNumber},
			{"https://1.2.3.4.5/x.git", ReasonNumber},
			{"https://169.254.43518/x.git", ReasonNumber},
			{"https://0xa9fea9fe/latest.tar", ReasonNumber},
			{"git@2130706433:x.git", ReasonNumber},
			{"ssh://git@0x7f.1/x.git", ReasonNumber},
			{"https://１２７.０.０.１/x.git", ReasonNotASCII},
			{"https://127。0。0。1/x.git", ReasonNotASCII},
			{"https://①②⑦.0.0.1/x.git", ReasonNotASCII},
			{"https://[::1/x.git", ReasonHost},
			{"https://[127.0.0.1]/x.git", ReasonForm},
			{"https://[fe80::1%25eth0]/x.git", ReasonForm},
			{"https://[v1.x]/x.git", ReasonForm},
			{"https://::1/x.git", ReasonForm},
		},
		"addresses": {
			{"https://127.0.0.1/x.git", ReasonAddress},
			{"https://127.8.9.10/x.git", ReasonAddress},
			{"https://0.0.0.0/x.git", ReasonAddress},
			{"https://10.0.0.1/x.git", ReasonAddress},
			{"https://172.17.0.1/x.git", ReasonAddress},
			{"https://192.168.1.1/x.git", ReasonAddress},
			{"https://169.254.169.254/latest/x.tar", ReasonAddress},
			{"https://100.64.0.1/x.git", ReasonAddress},
			{"https://192.0.0.192/x.git", ReasonAddress},
			{"https://224.0.0.1/x.git", ReasonAddress},
			{"https://255.255.255.255/x.git", ReasonAddress},
			{"https://168.63.129.16/x.tar", ReasonAddress},
			{"git@127.0.0.1:x.git", ReasonAddress},
			{"ssh://git@10.0.0.1/x.git", ReasonAddress},
			{"https://[::1]/x.git", ReasonAddress},
			{"https://[::]/x.git", ReasonAddress},
			{"https://[0:0:0:0:0:0:0:1]/x.git", ReasonAddress},
			{"https://[::ffff:127.0.0.1]/x.git", ReasonAddress},
			{"https://[::ffff:7f00:1]/x.git", ReasonAddress},
			{"https://[::127.0.0.1]/x.git", ReasonAddress},
			{"https://[::ffff:0:127.0.0.1]/x.git", ReasonAddress},
			{"https://[64:ff9b::7f00:1]/x.git", ReasonAddress},
			{"https://[64:ff9b::169.254.169.254]/x.git", ReasonAddress},
			{"https://[64:ff9b:1::808:808]/x.git", ReasonAddress},
			{"https://[2002:7f00:1::]/x.git", ReasonAddress},
			{"https://[2001::1]/x.git", ReasonAddress},
			{"https://[fe80::1]/x.git", ReasonAddress},
			{"https://[fec0::1]/x.git", ReasonAddress},
			{"https://[fd00:ec2::254]/x.tar", ReasonAddress},
			{"https://[ff02::1]/x.git", ReasonAddress},
			{"https://[2001:db8::1]/x.git", ReasonAddress},
		},
		"names": {
			{"https://localhost/x.git", ReasonLocalName},
			{"https://LOCALHOST/x.git", ReasonLocalName},
			{"https://localhost./x.git", ReasonHost},
			{"https://a.localhost/x.git", ReasonLocalName},
			{"https://localhost.localdomain/x.git", ReasonLocalName},
			{"https://metadata.google.internal/x.tar", ReasonLocalName},
			{"https://Metadata.Google.INTERNAL/x.tar", ReasonLocalName},
			{"https://metadata.goog/x.tar", ReasonLocalName},
			{"https://instance-data/latest.tar", ReasonLocalName},
			{"https://printer.local/x.git", ReasonLocalName},
			{"https://router.home.arpa/x.git", ReasonLocalName},
			{"https://gitea/x.git", ReasonLocalName},
			{"https://kubernetes.default.svc/x.git", ReasonLocalName},
			{"https://metadata.google.internal./x.tar", ReasonHost},
			{"git@localhost:x.git", ReasonLocalName},
			{"https://ｌocalhost/x.git", ReasonNotASCII},
			{"https://gооd.example/x.git", ReasonNotASCII},
			{"https://good..example/x.git", ReasonHost},
			{"https://.good.example/x.git", ReasonHost},
			{"https://good_.example/x.git", ReasonHost},
			{"https://good.example;evil.example/x.git", ReasonHost},
			{"https://good.example,evil.example/x.git", ReasonHost},
			{"https://$(id).example/x.git", ReasonHost},
			{"https://" + strings.Repeat("a", 64) + ".example/x.git", ReasonHost},
			{"https://" + strings.Repeat("a.", 130) + "example/x.git", ReasonHost},
		},
		"ports and lengths": {
			{"https://good.example:0/x.git", ReasonPort},
			{"https://good.example:65536/x.git", ReasonPort},
			{"https://good.example:65979/x.git", ReasonPort}, // 443 modulo 65536
			{"https://good.example:/x.git", ReasonPort},
			{"https://good.example:0443/x.git", ReasonPort},
			{"https://good.example:+443/x.git", ReasonForm},
			{"https://good.example:443:80/x.git", ReasonForm},
			{"https://good.example:4a3/x.git", ReasonForm},
			{"https://good.example:-1/x.git", ReasonForm},
			{"https://good.example:22/x.git", ReasonPort},
			{"https://good.example:6379/x.git", ReasonPort},
			{"https://good.example:2375/x.tar", ReasonPort},
			{"ssh://git@good.example:443/x.git", ReasonPort},
			{"", ReasonLength},
			{"https://good.example/" + strings.Repeat("a", MaxURL), ReasonLength},
		},
	}
}

// good are URLs that are used every day, with what they are read as: kind, scheme, host, port, and what is handed on if it is not the same.
var good = []struct {
	raw, scheme, host string
	kind              Kind
	port              uint16
	url               string
}{
	{"https://github.com/golang/go", "https", "github.com", Git, 443, ""},
	{"https://github.com/golang/go.git", "https", "github.com", Git, 443, ""},
	{"https://github.com/golang/go.git/", "https", "github.com", Git, 443, ""},
	{"https://gitlab.com/group/sub-group/project.git", "https", "gitlab.com", Git, 443, ""},
	{"https://git.sr.ht/~sircmpwn/scdoc", "https", "git.sr.ht", Git, 443, ""},
	{"https://dev.azure.com/org/My%20Project/_git/repo", "https", "dev.azure.com", Git, 443, ""},
	{"https://bitbucket.org/team/repo_1.2", "https", "bitbucket.org", Git, 443, ""},
	{"HTTPS://GitHub.COM/golang/Go", "https", "github.com", Git, 443, "https://github.com/golang/Go"},
	{"https://github.com:443/golang/go", "https", "github.com", Git, 443, "https://github.com/golang/go"},
	{"https://xn--bcher-kva.example/x.git", "https", "xn--bcher-kva.example", Git, 443, ""},
	{"https://8.8.8.8/x.git", "https", "8.8.8.8", Git, 443, ""},
	{"https://[2606:4700::1111]/x.git", "https", "2606:4700::1111", Git, 443, ""},
	{"https://[2606:4700:0:0::1111]/x.git", "https", "2606:4700::1111", Git, 443, "https://[2606:4700::1111]/x.git"},
	{"https://127.0.0.1.example/x.git", "https", "127.0.0.1.example", Git, 443, ""},
	{"https://1e100.net/x.git", "https", "1e100.net", Git, 443, ""},
	{"https://localhost.example/x.git", "https", "localhost.example", Git, 443, ""},
	{"ssh://git@github.com/golang/go.git", "ssh", "github.com", Git, 22, ""},
	{"ssh://git@github.com:22/golang/go.git", "ssh", "github.com", Git, 22, "ssh://git@github.com/golang/go.git"},
	{"ssh://github.com/golang/go.git", "ssh", "github.com", Git, 22, ""},
	{"ssh://git@good.example/~user/x.git", "ssh", "good.example", Git, 22, ""},
	{"git@github.com:golang/go.git", "ssh", "github.com", Git, 22, ""},
	{"git@GitHub.com:golang/go.git", "ssh", "github.com", Git, 22, "git@github.com:golang/go.git"},
	{"git@good.example:/srv/x.git", "ssh", "good.example", Git, 22, ""},
	{"deploy-bot@git.good.example:x.git", "ssh", "git.good.example", Git, 22, ""},
	{"https://go.dev/dl/go1.26.8.src.tar.gz", "https", "go.dev", Tarball, 443, ""},
	{"https://good.example/a.tar", "https", "good.example", Tarball, 443, ""},
	{"https://good.example/A.TGZ", "https", "good.example", Tarball, 443, ""},
	{"https://good.example/a%2Fb/v1.0(2).tar.xz", "https", "good.example", Tarball, 443, ""},
	{"https://gitlab.com/g/p/-/archive/main/p-main.tar.bz2", "https", "gitlab.com", Tarball, 443, ""},
	{"https://good.example/x.tar.gz?X-Signature=a%2Bb&t=1", "https", "good.example", Tarball, 443, ""},
}

func TestNoHostileURLIsLetThrough(t *testing.T) {
	all, total := hostiles(), 0
	for _, class := range slices.Sorted(maps.Keys(all)) {
		through := 0
		for _, h := range all[class] {
			s, err := Parse(h.raw)
			var refused *RefusedError
			switch {
			case err == nil:
				through++
				t.Errorf("%s: %q was let through as %s", class, h.raw, s)
			case !errors.As(err, &refused):
				t.Errorf("%s: %q: the error is no RefusedError: %v", class, h.raw, err)
			case refused.Reason != h.reason:
				t.Errorf("%s: %q is refused for %s, not for %s: %v", class, h.raw, refused.Reason, h.reason, err)
			case refused.Text == "":
				t.Errorf("%s: %q is refused without a word", class, h.raw)
			}
		}
		total += len(all[class])
		t.Logf("| %s | %d | %d |", class, len(all[class]), through)
	}
	t.Logf("| all | %d | 0 |", total)
	if total < 90 {
		t.Errorf("there are %d hostile URLs; a class was lost", total)
	}
}

func TestARefusalShowsNoPassword(t *testing.T) {
	for class, list := range hostiles() {
		for _, h := range list {
			_, err := Parse(h.raw)
			for _, form := range []string{"%v", "%+v", "%#v", "%q"} {
				if s := fmt.Sprintf(form, err); strings.Contains(s, secret) || strings.Contains(s, "unter2") {
					t.Errorf("%s: %q: the password is in the error: %s", class, h.raw, s)
				}
			}
		}
	}
	_, err := Parse("https://localhost/x.tar.gz?token=" + secret)
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "https://localhost/x.tar.gz") {
		t.Errorf("a refusal names the URL without its query, not: %v", err)
	}
}

func TestGoodURLsAreRead(t *testing.T) {
	for _, g := range good {
		s, err := Parse(g.raw)
		if err != nil {
			t.Errorf("%q is refused: %v", g.raw, err)
			continue
		}
		url := g.url
		if url == "" {
			url = g.raw
		}
		if s.Kind() != g.kind || s.Scheme() != g.scheme || s.Host() != g.host || s.Port() != g.port || s.URL() != url {
			t.Errorf("%q is read as %s %s %s %d %s", g.raw, s.Kind(), s.Scheme(), s.Host(), s.Port(), s.URL())
		}
		again, err := Parse(s.URL())
		if err != nil || again != s {
			t.Errorf("%q: what is handed on, %q, is read as something else: %v", g.raw, s.URL(), err)
		}
	}
}

func TestASourcePrintsWithoutItsQuery(t *testing.T) {
	s, err := Parse("https://good.example/x.tar.gz?token=" + secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if got := fmt.Sprintf(form, s); strings.Contains(got, secret) || !strings.Contains(got, "good.example/x.tar.gz?…") {
			t.Errorf("%s prints %s", form, got)
		}
	}
	if !strings.HasSuffix(s.URL(), secret) {
		t.Error("the URL that is used lost its query")
	}
}

func TestAKindIsWhatOneSays(t *testing.T) {
	s, err := Policy{}.ParseKind("https://codeload.good.example/o/r/tar.gz/refs/heads/main?token=x", Tarball)
	if err != nil || s.Kind() != Tarball {
		t.Errorf("a tarball without the end of a tarball is one where one says so: %v, %v", s, err)
	}
	if _, err := (Policy{}).ParseKind("git@good.example:x.tar.gz", Tarball); reasonOf(err) != ReasonScheme {
		t.Errorf("no tarball comes by ssh: %v", err)
	}
}

func reasonOf(err error) Reason {
	var r *RefusedError
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}
