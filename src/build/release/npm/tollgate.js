#!/usr/bin/env node
// The starter of npm's package: finds the executable of this machine's platform, runs it, hands signals on, and ends as it does.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Ctrl-C reaches this process twice, from the terminal and from npx. The gateway takes a second signal as the wish to stop at once. */
const SAME_SIGNAL_MS = 400
const PARENT_CHECK_MS = 200

const require = createRequire(import.meta.url)
const packages = Object.keys(
  JSON.parse(readFileSync(new URL('package.json', import.meta.url))).optionalDependencies,
)
const musl = process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime
const name = `@tollgate/${process.platform}-${process.arch}${musl ? '-musl' : ''}`

function executable() {
  if (!packages.includes(name)) {
    const platforms = packages.map((each) => each.slice('@tollgate/'.length)).join(', ')
    end(
      `tollgate has no executable for ${name.slice('@tollgate/'.length)}, only for ${platforms}. On another system, run it in a container or build it from its source.`,
    )
  }
  try {
    return join(dirname(require.resolve(`${name}/package.json`)), 'tollgate')
  } catch {
    end(
      `The package ${name}, which has the executable, is not installed. Delete node_modules and package-lock.json, since npm may keep those of another machine, and install tollgate again without --omit=optional.`,
    )
  }
}

function end(message) {
  process.stderr.write(`error: ${message}\n`)
  process.exit(1)
}

const words = process.argv.slice(2)
const sent_at_ms = {}
// Both before the executable starts: the end of the parent, or a signal, between the two would leave the gateway without its starter.
const parent = process.ppid
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])
  process.on(signal, () => {
    const now_ms = performance.now()
    if (now_ms - sent_at_ms[signal] < SAME_SIGNAL_MS) return
    sent_at_ms[signal] = now_ms
    child.kill(signal)
  })
// In a process group of its own, so that the terminal's signals come by this process alone.
const child = spawn(executable(), words.length > 0 ? words : ['serve'], { stdio: 'inherit', detached: true })
// npx hands a signal to the shell between it and this process, which ends without handing it on.
if (process.env.npm_lifecycle_event !== undefined) {
  const checks = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(checks)
    child.kill('SIGTERM')
  }, PARENT_CHECK_MS).unref()
}
child.on('error', ({ message }) => end(`${name} cannot be started: ${message}`))
child.on('exit', (status, signal) => {
  if (signal === null) process.exit(status)
  process.removeAllListeners(signal)
  // Node ignores SIGPIPE.
  process.exitCode = 1
  process.kill(process.pid, signal)
})
