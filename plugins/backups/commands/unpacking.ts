// The progress line of commands that unpack an archive.
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { type ShowStep, type Step, withProgress } from '../../../src/app/commands/progress.ts'
import type { OnAudit } from '../../../src/app/process/full-audit.ts'
import type { Located } from '../places/where.ts'

interface Unpacking {
  archive: Pick<Located, 'size'>
  /** Of the archive. */
  content: AsyncIterable<Uint8Array>
  json: boolean
  deps: CliDeps
}

/** Runs work that reads an archive to its end and then audits what was in it, with a progress line. */
export const withUnpacking = <T>(
  { archive, content, json, deps }: Unpacking,
  work: (content: AsyncIterable<Uint8Array>, onAudit: OnAudit) => Promise<T>,
): Promise<T> =>
  withProgress(deps, json, async (show) => {
    // A pipe has no size.
    const of = deps.terminal.progress && !json ? (await archive.size()) || undefined : undefined
    return await work(readingWith(content, show, { what: 'Unpacking', of }), (progress) =>
      show({ what: 'Checking', ...progress, unit: 'rules' }),
    )
  })

/** Content whose reading is shown. @param of its bytes, where they are known */
async function* readingWith(
  content: AsyncIterable<Uint8Array>,
  show: ShowStep,
  { what, of }: Pick<Step, 'what' | 'of'>,
): AsyncGenerator<Uint8Array> {
  let done = 0
  show({ what, done, of, unit: 'bytes' })
  for await (const block of content) {
    done += block.length
    show({ what, done, of, unit: 'bytes' })
    yield block
  }
}
