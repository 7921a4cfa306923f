// The solving of ALTCHA's challenge: by the browser alone, while the form is filled in.
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import { api, send } from '../../console/web/app/client.ts'

/**
 * Gets a challenge and solves it.
 *
 * @returns what the form sends
 * @throws Error that says what to do where the browser cannot
 */
export async function solveAltcha(): Promise<string> {
  if (!globalThis.crypto?.subtle)
    throw new Error('Your browser can sign up over HTTPS only. Open this page with https://.')
  const challenge = await send(api['sign-up'].challenge.get())
  const solution = await solveChallenge({ challenge, deriveKey })
  if (!solution) throw new Error('The check of your browser took too long. Try again.')
  return JSON.stringify({ challenge, solution })
}
