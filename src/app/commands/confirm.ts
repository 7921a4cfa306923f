// The question before what cannot be undone: on a terminal it is asked, elsewhere --yes answers it.
import { unprocessable } from '../../domain/errors.ts'
import { type CliDeps, EXIT, Exit } from '../command-line/terminal.ts'

interface Question {
  yes: boolean | undefined
  json: boolean
  /** The consequences of the command, and what stays. */
  about: string
  prompt: string
  agrees: (reply: string) => boolean
}

export const isYes = (reply: string): boolean => /^y(es)?$/i.test(reply.trim())

/**
 * Returns once the operator has agreed.
 * @throws GatewayError unprocessable if nobody is there to be asked; Exit where they do not agree
 */
export async function confirm({ terminal }: CliDeps, question: Question): Promise<void> {
  const { yes, json, about, prompt, agrees } = question
  if (yes) return
  if (!terminal.ask || json)
    throw unprocessable(`${about} Nothing was changed. Add --yes to skip the question.`)
  terminal.err(about)
  if (agrees(await terminal.ask(prompt))) return
  terminal.err('Nothing was changed.')
  throw new Exit(EXIT.failed)
}
