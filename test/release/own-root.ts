// A separate root file system, in namespaces that end with it: programs in it neither change this machine nor outlive it.
import { readlinkSync } from 'node:fs'
import { mayMount } from '../support/small-disk.ts'

interface Outcome {
  readonly status: number
  readonly out: string
  readonly errors: string
}

export interface OwnRoot extends AsyncDisposable {
  /** Runs a program within it, as root or as another user. The environment has only `env` and PATH. */
  run(command: readonly string[], options?: { env?: Record<string, string>; uid?: number }): Promise<Outcome>
}

const PROGRAMS = ['unshare', 'nsenter', 'chroot', 'mount', 'bash']

/** Whether this process may create one: usually only root may. */
export const mayHaveOwnRoot =
  process.platform === 'linux' && mayMount && PROGRAMS.every((name) => Bun.which(name) !== null)

if (!mayHaveOwnRoot)
  process.stderr.write(
    'The tests that install a package and run an image are skipped: they need Linux and a user who may mount.\n',
  )

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * @param root the folder that becomes `/`, within the mounts of the setup
 * @param setup commands of bash that mount it
 * @throws Error with the output of a setup that fails
 */
export async function ownRoot(root: string, setup: string): Promise<OwnRoot> {
  // The shell stays as the first process, and collects processes whose parents have ended.
  const script = `set -euo pipefail\n${setup}\necho ready\nread -r`
  const holder = Bun.spawn(['unshare', '--mount', '--pid', '--fork', '--kill-child', 'bash', '-c', script], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const { value } = await holder.stdout.getReader().read()
  if (value === undefined) throw new Error(`no root of its own: ${await holder.stderr.text()}`)
  const spaces = `/proc/${holder.pid}/ns`
  // The link exists only once the first process of the namespace runs.
  readlinkSync(`${spaces}/pid_for_children`)
  const enter = ['nsenter', `--mount=${spaces}/mnt`, `--pid=${spaces}/pid_for_children`, 'chroot']
  return {
    async run(command, { env = {}, uid = 0 } = {}) {
      const child = Bun.spawn([...enter, `--userspec=${uid}:${uid}`, root, ...command], {
        env: { PATH, ...env },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
      return { out, errors, status: await child.exited }
    },
    async [Symbol.asyncDispose]() {
      holder.kill('SIGKILL')
      await holder.exited
    },
  }
}
