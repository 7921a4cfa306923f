// Programs that clients are, or that install them: with a time-out, in an environment of their own.

export interface Ended {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

interface ProgramOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly timeout_ms: number
  readonly stdin?: string
  /** At a low priority, which long installations deserve. */
  readonly low_priority?: boolean
  /** Waits for a status of 0 unless this is set. */
  readonly any_status?: boolean
}

/** Of this process's environment only what finds programs, and what reaches package registries. */
const INHERITED =
  /^(PATH|LANG|LC_ALL|SSL_CERT_.*|.*_PROXY|.*_proxy|GO.*|PIP_.*|npm_config_.*|PYENV_.*|NODE_EXTRA_CA_CERTS)$/

/** Programs under way, each the leader of a process group: what it starts ends with it. */
const running = new Set<number>()

/** Ends all programs, at once and with all that they started. Can be called while this process exits. */
export function endPrograms(): void {
  for (const pid of running) endGroup(pid)
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The whole group has ended by itself.
  }
}

/** Starts a program in an environment of its own; it ends with `endPrograms`, at the latest. */
export function startProgram<Stdin extends 'pipe' | Buffer>(
  command: readonly string[],
  { cwd, env = {}, stdin }: Pick<ProgramOptions, 'cwd' | 'env'> & { stdin: Stdin },
) {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED.test(name))
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...Object.fromEntries(inherited), HOME: cwd, ...env },
    stdin,
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
  running.add(child.pid)
  return Object.assign(child, {
    end() {
      endGroup(child.pid)
      running.delete(child.pid)
    },
  })
}

/**
 * Runs a program to its end.
 *
 * @throws Error with what it printed, where it fails or takes too long
 */
export async function runProgram(
  command: readonly string[],
  { cwd, env = {}, timeout_ms, stdin = '', low_priority = false, any_status = false }: ProgramOptions,
): Promise<Ended> {
  const child = startProgram([...(low_priority ? ['nice', '-n', '10'] : []), ...command], {
    cwd,
    env,
    stdin: Buffer.from(stdin),
  })
  let late = false
  const timer = setTimeout(() => {
    late = true
    child.end()
  }, timeout_ms)
  try {
    const [stdout, stderr, status] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ])
    if (late) throw new Error(`${command[0]}: took over ${timeout_ms / 1000} s: ${ends(stderr)}`)
    if (status !== 0 && !any_status)
      throw new Error(`${command[0]}: status ${status}: ${ends(stderr || stdout)}`)
    return { status, stdout, stderr }
  } finally {
    clearTimeout(timer)
    child.end()
  }
}

/** What matters of a long output is at its end. */
export const ends = (output: string): string => output.trim().slice(-600)
