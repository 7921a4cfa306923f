// Requests that are refused until the viewer confirms that it is them: a dialog asks, and they are sent again.
import { createNotifier } from './notifier.ts'

/** As the gateway refuses them. */
const CONFIRM_SIGN_IN = 'confirm_sign_in'

/** Requests that wait for the answer of the dialog. */
let waiting: ((confirmed: boolean) => void)[] = []
const changes = createNotifier()

/** For the dialog: whether somebody waits for it. */
export const isConfirming = (): boolean => waiting.length > 0
export const onConfirming = changes.on

/** Ends the dialog. Whoever waits goes on. */
export function endConfirming(confirmed: boolean): void {
  const ended = waiting
  waiting = []
  for (const end of ended) end(confirmed)
  changes.notify()
}

const askToConfirm = (): Promise<boolean> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    changes.notify()
  })

/** As `fetch`; a request that needs a confirmation waits for it, once, and is sent again. */
export async function fetchConfirmed(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetch(input, init)
  if (answer.status !== 403 || !(await needsConfirming(answer.clone()))) return answer
  return (await askToConfirm()) ? await fetch(input, init) : answer
}

async function needsConfirming(answer: Response): Promise<boolean> {
  try {
    const { error } = (await answer.json()) as { error?: { code?: unknown } }
    return error?.code === CONFIRM_SIGN_IN
  } catch {
    // No JSON: a proxy's refusal, which is shown as it is.
    return false
  }
}
