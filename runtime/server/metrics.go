package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"podlife/runtime/pod"
)

// metrics of one server. Labels are bounded: actions, causes, states and outcomes are words of ours.
type metrics struct {
	registry  *prometheus.Registry
	actions   *prometheus.CounterVec
	boots     *prometheus.HistogramVec
	terminals prometheus.Gauge
	pods      *prometheus.GaugeVec
}

func newMetrics(monitor Monitor) *metrics {
	m := &metrics{
		registry:  prometheus.NewRegistry(),
		actions:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: "podlife_actions_total", Help: "Committed actions of the specification."}, []string{"action", "cause"}),
		terminals: prometheus.NewGauge(prometheus.GaugeOpts{Name: "podlife_terminals", Help: "Open terminal sockets."}),
		pods:      prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "podlife_pods", Help: "Pods by state."}, []string{"state"}),
		boots: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "podlife_boot_seconds", Help: "Duration of boot requests by outcome.",
			Buckets: []float64{0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 300, 600},
		}, []string{"outcome"}),
	}
	m.registry.MustRegister(m.actions, m.terminals, m.pods, m.boots, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if monitor != nil {
		m.registry.MustRegister(ofMonitor(monitor)...)
	}
	return m
}

// ofMonitor are the counters of a monitor, read at the moment of the scrape.
func ofMonitor(monitor Monitor) []prometheus.Collector {
	counter := func(name, help string, read func(checked, divergences, missed uint64) uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(read(monitor.Counts())) })
	}
	return []prometheus.Collector{
		counter("podlife_monitor_steps_total", "Committed steps that were held against the specification.", func(checked, _, _ uint64) uint64 { return checked }),
		counter("podlife_monitor_divergences_total", "Pods that took a step which the specification does not have.", func(_, divergences, _ uint64) uint64 { return divergences }),
		counter("podlife_monitor_missed_total", "Committed steps that the monitor could not keep up with.", func(_, _, missed uint64) uint64 { return missed }),
	}
}

// handler counts the pods at the moment of the scrape.
func (m *metrics) handler(pods *pod.Manager) http.Handler {
	scrape := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count := map[string]float64{"asleep": 0, "fresh": 0, "provisioning": 0, "ready": 0}
		for _, p := range pods.Pods() {
			count[p.Status().State.String()]++
		}
		for state, n := range count {
			m.pods.WithLabelValues(state).Set(n)
		}
		scrape.ServeHTTP(w, r)
	})
}
