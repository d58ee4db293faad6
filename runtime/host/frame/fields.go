package frame

// The fields of each message in their order: write and read say the same. A hello may have more behind what is known here: it is how versions find out about each other.

func (m *Hello) write(e *encoder) { e.u16(m.Version) }
func (m *Hello) read(d *decoder) {
	m.Version = d.u16()
	if m.Version != Version {
		d.b = nil
	}
}

func (m *Welcome) write(e *encoder) {
	e.u16(m.Version)
	e.text(m.Instance)
}

func (m *Welcome) read(d *decoder) {
	m.Version = d.u16()
	if m.Version != Version {
		d.b = nil
		return
	}
	m.Instance = d.text(maxName)
}

func (m *Open) write(e *encoder) {
	e.u32(m.Request)
	e.u32(m.Viewer)
	e.text(m.Tab)
	e.text(m.Want.Pod)
	e.u64(m.Want.Incarnation)
	e.text(m.Want.Recipe)
	e.u16(m.Cols)
	e.u16(m.Rows)
	e.text(m.Dir)
	e.texts(m.Env, maxEnv)
	e.texts(m.Argv, maxArgs)
	e.u64(m.Epoch)
	e.u64(m.Have)
	e.yes(m.ReadOnly)
}

func (m *Open) read(d *decoder) {
	m.Request, m.Viewer = d.u32(), d.u32()
	m.Tab = d.text(maxTab)
	m.Want = Marker{Pod: d.text(maxName), Incarnation: d.u64(), Recipe: d.text(maxName)}
	m.Cols, m.Rows = d.u16(), d.u16()
	m.Dir = d.text(maxPath)
	m.Env = d.texts(maxEnv, maxVariable)
	m.Argv = d.texts(maxArgs, maxArg)
	m.Epoch, m.Have, m.ReadOnly = d.u64(), d.u64(), d.yes()
}

func (m *Follow) write(e *encoder) {
	e.u32(m.Request)
	e.u32(m.Viewer)
	e.text(m.Want.Pod)
	e.u64(m.Want.Incarnation)
	e.text(m.Want.Recipe)
	e.u64(m.Epoch)
	e.u64(m.Have)
}

func (m *Follow) read(d *decoder) {
	m.Request, m.Viewer = d.u32(), d.u32()
	m.Want = Marker{Pod: d.text(maxName), Incarnation: d.u64(), Recipe: d.text(maxName)}
	m.Epoch, m.Have = d.u64(), d.u64()
}

func (m *Run) write(e *encoder) {
	e.u32(m.Request)
	e.u32(m.Viewer)
	e.text(m.Want.Pod)
	e.u64(m.Want.Incarnation)
	e.text(m.Want.Recipe)
	e.texts(m.Argv, maxArgs)
	e.text(m.Dir)
	e.yes(m.Exactly)
	e.texts(m.Env, maxEnv)
}

func (m *Run) read(d *decoder) {
	m.Request, m.Viewer = d.u32(), d.u32()
	m.Want = Marker{Pod: d.text(maxName), Incarnation: d.u64(), Recipe: d.text(maxName)}
	m.Argv = d.texts(maxArgs, maxArg)
	m.Dir, m.Exactly = d.text(maxPath), d.yes()
	m.Env = d.texts(maxEnv, maxVariable)
}

func (m *Ran) write(e *encoder) {
	e.u32(m.Request)
	e.u32(m.Viewer)
}
func (m *Ran) read(d *decoder) { m.Request, m.Viewer = d.u32(), d.u32() }

func (m *Errors) write(e *encoder) {
	e.u32(m.Viewer)
	e.u64(m.Offset)
	e.b = append(e.b, m.Data...)
}
func (m *Errors) read(d *decoder) { m.Viewer, m.Offset, m.Data = d.u32(), d.u64(), d.rest() }

func (m *Taken) write(e *encoder) {
	e.u32(m.Viewer)
	e.u64(m.Offset)
}
func (m *Taken) read(d *decoder) { m.Viewer, m.Offset = d.u32(), d.u64() }

func (m *EOF) write(e *encoder) { e.u32(m.Viewer) }
func (m *EOF) read(d *decoder)  { m.Viewer = d.u32() }

func (m *Signal) write(e *encoder) {
	e.u32(m.Viewer)
	e.text(m.Name)
}
func (m *Signal) read(d *decoder) { m.Viewer, m.Name = d.u32(), d.text(maxTab) }

func (m *Opened) write(e *encoder) {
	e.u32(m.Request)
	e.u32(m.Viewer)
	e.u64(m.Epoch)
	e.u64(m.From)
	e.yes(m.Reset)
	e.u64(m.Lo)
	e.u64(m.Hi)
	e.u16(m.Cols)
	e.u16(m.Rows)
	e.text(m.Tab)
	e.yes(m.Started)
	e.yes(m.Running)
}

func (m *Opened) read(d *decoder) {
	m.Request, m.Viewer, m.Epoch, m.From, m.Reset = d.u32(), d.u32(), d.u64(), d.u64(), d.yes()
	m.Lo, m.Hi, m.Cols, m.Rows, m.Tab, m.Started, m.Running = d.u64(), d.u64(), d.u16(), d.u16(), d.text(maxTab), d.yes(), d.yes()
}

func (m *Refused) write(e *encoder) {
	e.u32(m.Request)
	e.u32(m.Viewer)
	e.text(string(m.Reason))
	e.u16(m.Code)
	e.text(m.Detail)
}

func (m *Refused) read(d *decoder) {
	m.Request, m.Viewer, m.Reason, m.Code, m.Detail = d.u32(), d.u32(), Reason(d.text(maxName)), d.u16(), d.text(MaxDetail)
}

func (m *Input) write(e *encoder) {
	e.u32(m.Viewer)
	e.b = append(e.b, m.Data...)
}
func (m *Input) read(d *decoder) { m.Viewer, m.Data = d.u32(), d.rest() }

func (m *Resize) write(e *encoder) {
	e.u32(m.Viewer)
	e.u16(m.Cols)
	e.u16(m.Rows)
}
func (m *Resize) read(d *decoder) { m.Viewer, m.Cols, m.Rows = d.u32(), d.u16(), d.u16() }

func (m *Ack) write(e *encoder) {
	e.u32(m.Viewer)
	e.u64(m.Offset)
}
func (m *Ack) read(d *decoder) { m.Viewer, m.Offset = d.u32(), d.u64() }

func (m *Close) write(e *encoder) { e.u32(m.Viewer) }
func (m *Close) read(d *decoder)  { m.Viewer = d.u32() }

func (m *End) write(e *encoder) {
	e.u32(m.Request)
	e.text(m.Tab)
}
func (m *End) read(d *decoder) { m.Request, m.Tab = d.u32(), d.text(maxTab) }

func (m *Rename) write(e *encoder) {
	e.u32(m.Request)
	e.text(m.Tab)
	e.text(m.To)
}
func (m *Rename) read(d *decoder) { m.Request, m.Tab, m.To = d.u32(), d.text(maxTab), d.text(maxTab) }

func (m *List) write(e *encoder) { e.u32(m.Request) }
func (m *List) read(d *decoder)  { m.Request = d.u32() }

func (m *Ended) write(e *encoder) { e.u32(m.Request) }
func (m *Ended) read(d *decoder)  { m.Request = d.u32() }

func (m *Output) write(e *encoder) {
	e.u32(m.Viewer)
	e.u64(m.Offset)
	e.b = append(e.b, m.Data...)
}
func (m *Output) read(d *decoder) { m.Viewer, m.Offset, m.Data = d.u32(), d.u64(), d.rest() }

func (m *Reset) write(e *encoder) {
	e.u32(m.Viewer)
	e.u64(m.Start)
	e.u64(m.From)
	e.yes(m.First)
	e.yes(m.Last)
	e.b = append(e.b, m.Data...)
}

func (m *Reset) read(d *decoder) {
	m.Viewer, m.Start, m.From, m.First, m.Last, m.Data = d.u32(), d.u64(), d.u64(), d.yes(), d.yes(), d.rest()
}

func (m *Size) write(e *encoder) {
	e.u32(m.Viewer)
	e.u16(m.Cols)
	e.u16(m.Rows)
	e.u32(m.By)
}
func (m *Size) read(d *decoder) { m.Viewer, m.Cols, m.Rows, m.By = d.u32(), d.u16(), d.u16(), d.u32() }

func (m *Exit) write(e *encoder) {
	e.u32(m.Viewer)
	e.u16(m.Code)
	e.text(m.Signal)
	e.u64(m.At)
}
func (m *Exit) read(d *decoder) {
	m.Viewer, m.Code, m.Signal, m.At = d.u32(), d.u16(), d.text(maxName), d.u64()
}

func (m *Listed) write(e *encoder) {
	e.u32(m.Request)
	e.u16(uint16(min(len(m.Tabs), maxTabs+1)))
	for _, t := range m.Tabs {
		e.text(t.Name)
		e.u64(t.Epoch)
		e.u64(t.Hi)
		e.u16(t.Viewers)
		e.u64(t.Started)
		e.u64(t.LastInput)
		e.yes(t.Exited)
		e.u16(t.Code)
	}
}

func (m *Listed) read(d *decoder) {
	m.Request = d.u32()
	n := d.u16()
	if n > maxTabs {
		d.bad = true
	}
	for i := uint16(0); i < n && !d.bad; i++ {
		m.Tabs = append(m.Tabs, Tab{
			Name: d.text(maxTab), Epoch: d.u64(), Hi: d.u64(), Viewers: d.u16(), Started: d.u64(), LastInput: d.u64(), Exited: d.yes(), Code: d.u16(),
		})
	}
}
