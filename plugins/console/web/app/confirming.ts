// Requests that need a confirmed sign-in: when the gateway refuses one, a dialog asks the user to confirm, and the request is sent again.
import { createNotifier } from './notifier.ts'

const CONFIRM_SIGN_IN = 'confirm_sign_in'

/** Requests that wait for the user's answer in the dialog. */
let waiting: ((confirmed: boolean) => void)[] = []
const changes = createNotifier()

export const isConfirming = (): boolean => waiting.length > 0
export const onConfirming = changes.on

/** Closes the dialog, and continues the waiting requests. */
export function endConfirming(confirmed: boolean): void {
  const ended = waiting
  waiting = []
  for (const end of ended) end(confirmed)
  changes.notify()
}

const waitForConfirmation = (): Promise<boolean> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    changes.notify()
  })

/** As `fetch`, but a request that needs a confirmation waits for it, and is sent a second time. */
export async function fetchWithConfirmation(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const answer = await fetch(input, init)
  if (answer.status !== 403 || !(await needsConfirming(answer.clone()))) return answer
  return (await waitForConfirmation()) ? await fetch(input, init) : answer
}

async function needsConfirming(answer: Response): Promise<boolean> {
  try {
    const { error } = (await answer.json()) as { error?: { code?: unknown } }
    return error?.code === CONFIRM_SIGN_IN
  } catch {
    // Not JSON: the refusal of a proxy, which the caller reports.
    return false
  }
}
