package workspace

import (
	"slices"

	"podlife/mutants"
	"podlife/mutants/rule"
)

// Catalogue gives a mutant for each guard and rule that Workspace can switch off, and those of besides.
func Catalogue() []rule.Mutant { return slices.Concat(ofCreation(), ofStarts(), ofDeletes()) }

// notStored has what SaveNamed is asked to write not be written.
func notStored(file, what, name string) mutants.Edit {
	return mutants.Replace(file, "err := c.o.Store.SaveNamed(ctx, "+what+"); err != nil { //model:guard "+name, "err := error(nil); err != nil {")
}

func ofCreation() []rule.Mutant {
	return []rule.Mutant{
		rule.Without("CreateWorkspace.stored", "a volume is made before anything is stored of its pod", notStored(createFile, "e.rec, r.Adopt", "CreateWorkspace.stored")),
		rule.Without("CreateWorkspace.ownVolume", "all homes have the same name, and the store takes that",
			mutants.Replace(createFile, "c.o.Homes.HomeVolume(e.rec.ID) //model:guard CreateWorkspace.ownVolume", `c.o.Homes.HomeVolume("home")`), sharedHomes(),
		),
		rule.Without("Adopt.owner", "nobody asks whose a kept volume is: server, table, store",
			switchedOff("Adopt.owner"),
			mutants.Replace(createFile, "		if !c.keeps(owner, r.Adopt) { //model:guard Adopt.owner\n			return Info{}, ErrNoVolume\n		}\n", ""),
			mutants.Replace(namedFile, "			//model:guard Adopt.once\n			//model:guard Adopt.owner\n			res, err := tx.ExecContext(ctx, `DELETE FROM kept_volumes WHERE volume = ? AND owner = ?`, adopt, r.Owner)\n",
				"			res, err := tx.ExecContext(ctx, `DELETE FROM kept_volumes WHERE volume = ?`, adopt)\n"),
		),
		rule.Without("Adopt.once", "a kept volume is kept on when it is adopted, and the store takes two pods with one home",
			mutants.Replace(createFile, "	delete(c.kept, r.Adopt) //model:guard Adopt.once\n", ""),
			mutants.Replace(namedFile, "			//model:guard Adopt.once\n			//model:guard Adopt.owner\n			res, err := tx.ExecContext(ctx, `DELETE FROM kept_volumes WHERE volume = ? AND owner = ?`, adopt, r.Owner)\n",
				"			res, err := tx.ExecContext(ctx, `UPDATE kept_volumes SET owner = owner WHERE volume = ? AND owner = ?`, adopt, r.Owner)\n"),
			sharedHomes(),
		),
		rule.Without("Made.volume", "a pod is there although its volume could not be made",
			mutants.Replace(createFile, "		if err == nil { //model:guard Made.volume\n			err = c.isMade(e)\n		}\n", "		err = c.isMade(e)\n"),
		),
	}
}

func ofStarts() []rule.Mutant {
	noMarker := mutants.Replace(simShell, "!v.OK {", "!v.OK && !has(p.Files, boot.HomePath+\"/marker\") {")
	return []rule.Mutant{
		rule.Without("Boot.there", "a boot does not ask whether the pod is being deleted",
			mutants.Replace(deleteFile, "	p.RefuseBoots(ErrGoing) //model:guard Boot.there\n", ""),
			mutants.Replace(recoverFile, "			p.RefuseBoots(ErrGoing) //model:guard Boot.there\n", "			_ = p\n"),
		),
		rule.Without("Access.workspace", "an access starts any pod",
			mutants.Replace(accessFile, "	case refusedBy(err, \"workspace\"): //model:guard Access.workspace\n		return nil\n", ""),
		),
		rule.Without("Read.wakesNothing", "whoever asks how a pod is starts it",
			mutants.Replace(catalogueFile, "	p := c.o.Pods.Pod(e.rec.ID)\n	return c.info(e, p), p, nil\n", "	p := c.o.Pods.Pod(e.rec.ID)\n	go p.Boot(c.base, \"reader\", nil)\n	return c.info(e, p), p, nil\n"),
		),
		rule.Without("Start.ownVolume", "a launch does not look at the home", unseenHomes()...),
		rule.Without("Ready.ownDisk", "a marker in the home vouches, for the script and for the session host",
			mutants.Replace(simBoot, "	if agent.Check(files{b.p.Files}, boot.MarkerPath, b.want).OK {", "	if has(b.p.Files, boot.HomePath+\"/marker\") {"), noMarker,
		),
		rule.Without("Ready.vouched", "the script's verdict is not looked at, and the session host looks at no marker",
			mutants.Replace(verdictFile, "	if result.OK { //model:guard Ready.vouched\n", "	if true {\n"),
			mutants.Replace(simShell, "!v.OK {", "false {"),
		),
		rule.Without("TearDown.keepsVolume", "the home goes with the container",
			mutants.Replace(containerFile, "	err := c.o.Engine.Remove(ctx, engine.ID(id))\n", `	found, _ := c.o.Engine.Inspect(ctx, engine.ID(id))
	err := c.o.Engine.Remove(ctx, engine.ID(id))
	if home := c.home(pod.ID(found.Labels[LabelPod])); home != nil {
		_ = c.o.Engine.RemoveVolume(ctx, home.Name)
	}
`),
		),
		rule.Without(derivedTwice, "a launch derives the name of the home anew, which of one that was adopted is another, and does not look what it gets",
			append(unseenHomes(), mutants.Replace(homeFile, "Name: volume, Target: boot.HomePath,", "Name: c.HomeVolume(id), Target: boot.HomePath,"), mutants.Replace(homeFile, "	volume, ok := c.o.Home(id)\n", "	_, ok := c.o.Home(id)\n"))...,
		),
	}
}

func ofDeletes() []rule.Mutant {
	return []rule.Mutant{
		rule.Without("Delete.stored", "a delete is carried out before it is stored", notStored(deleteFile, "going, \"\"", "Delete.stored")),
		rule.Without("RemoveVolume.notKept", "a volume that was to be kept is removed",
			mutants.Replace(deleteFile, `	if e.rec.Home != "" && !e.rec.Keep { //model:guard RemoveVolume.notKept`, `	if e.rec.Home != "" {`),
		),
		rule.Without("Gone.container", "a delete does not wait for the container, nor for the time at which it is known whether there is one",
			switchedOff("Gone.container"),
			mutants.Replace(deleteFile, "err := p.Destroy(c.base); err != nil { //model:guard Gone.container", "err := error(nil); err != nil {"),
			mutants.Replace(recoverFile, "				case <-c.o.Pods.Recovered(): //model:guard Gone.container\n", "				default:\n"),
		),
		rule.Without(tooEarly, "a server that starts goes on with a delete before it is known whether the pod has a container",
			mutants.Replace(recoverFile, "				case <-c.o.Pods.Recovered(): //model:guard Gone.container\n", "				default:\n"),
		),
		rule.Without("Gone.volume", "a delete does not remove the volume",
			mutants.Replace(deleteFile, "err := c.o.Homes.RemoveHome(c.base, e.rec.Home); err != nil { //model:guard Gone.volume", "err := error(nil); err != nil {"),
		),
		rule.Without("Gone.keeps", "nobody notes down a volume that was kept",
			mutants.Replace(deleteFile, "c.o.Store.DropNamed(c.base, e.rec.ID, kept); err != nil { //model:guard Gone.keeps", "c.o.Store.DropNamed(c.base, e.rec.ID, nil); err != nil {"),
		),
		rule.Without("Recover.keepsVolumes", "a server that starts removes the volumes that no container has",
			mutants.Replace(recoverFile, "	for _, r := range records {\n", "	for _, r := range records {\n		_ = c.o.Homes.RemoveHome(ctx, r.Home)\n"),
		),
	}
}
