// Confirmation of irreversible commands: a question on a terminal, --yes elsewhere.
import { unprocessable } from '../../domain/errors.ts'
import { type CliDeps, EXIT, Exit } from '../command-line/terminal.ts'

interface Question {
  yes: boolean | undefined
  json: boolean
  /** The command's consequences, and what it keeps. */
  about: string
  prompt: string
  agrees: (reply: string) => boolean
}

export const isYes = (reply: string): boolean => /^y(es)?$/i.test(reply.trim())

/**
 * Returns once the operator has agreed.
 * @throws GatewayError unprocessable without a terminal; Exit if the operator does not agree
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
