// An import in a process of its own, which ends itself by SIGKILL at a named point, after it has passed the point some times.
import { fakeSource } from './fake-source.ts'
import { KILLED_SOURCE } from './killed-source.ts'
import { importFrom } from './scene.ts'

const [dir = '', point = '', passes = '0'] = process.argv.slice(2)
let left = Number(passes)

const { status, err } = await importFrom({
  dir,
  source: fakeSource(KILLED_SOURCE),
  probe(reached) {
    if (reached !== point) return
    if (left === 0) process.kill(process.pid, 'SIGKILL')
    left -= 1
  },
})
process.stderr.write(err)
process.exit(status)
