// Programs of clients and installers, each with a time-out and an environment of its own.

export interface ProgramResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

interface ProgramOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly timeout_ms: number
  readonly stdin?: string
  /** Runs it at a low priority, for long installations. */
  readonly low_priority?: boolean
  /** Allows any status; otherwise only 0. */
  readonly any_status?: boolean
}

/** The inherited variables: only those that find programs, and those that reach package registries. */
const INHERITED =
  /^(PATH|LANG|LC_ALL|SSL_CERT_.*|.*_PROXY|.*_proxy|GO.*|PIP_.*|npm_config_.*|PYENV_.*|NODE_EXTRA_CA_CERTS)$/

/** Programs under way, each the leader of a process group: what it starts ends with it. */
const running = new Set<number>()

/** Kills all programs with all that they started. Can be called while this process exits. */
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
 * @throws Error with its output if it fails or takes too long
 */
export async function runProgram(
  command: readonly string[],
  { cwd, env = {}, timeout_ms, stdin = '', low_priority = false, any_status = false }: ProgramOptions,
): Promise<ProgramResult> {
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
    if (late) throw new Error(`${command[0]}: took over ${timeout_ms / 1000} s: ${endOf(stderr)}`)
    if (status !== 0 && !any_status)
      throw new Error(`${command[0]}: status ${status}: ${endOf(stderr || stdout)}`)
    return { status, stdout, stderr }
  } finally {
    clearTimeout(timer)
    child.end()
  }
}

/** The relevant part of a long output. */
export const endOf = (output: string): string => output.trim().slice(-600)
