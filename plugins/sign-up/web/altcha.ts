// The solver of the ALTCHA challenge. The browser works on its own while the visitor fills in the form.
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import { api, send } from '../../console/web/app/client.ts'

/**
 * Fetches a challenge and solves it.
 *
 * @returns the text that the form sends
 * @throws Error with instructions if the browser cannot solve it
 */
export async function solveAltcha(): Promise<string> {
  if (!globalThis.crypto?.subtle)
    throw new Error('Your browser can sign up over HTTPS only. Open this page with https://.')
  const challenge = await send(api['sign-up'].challenge.get())
  const solution = await solveChallenge({ challenge, deriveKey })
  if (!solution) throw new Error('Your browser took too long to complete the check. Try again.')
  return JSON.stringify({ challenge, solution })
}
