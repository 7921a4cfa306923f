// A comparison of two texts: removed and added lines with context.
import { useMemo } from 'react'
import { type DiffLine, diffOf } from './diff-lines.ts'

export function Diff({ before, after }: { before: string; after: string }) {
  const hunks = useMemo(() => diffOf(before, after), [before, after])
  if (!hunks) return <p className="soft">The texts differ in too many lines to compare them here.</p>
  if (hunks.length === 0) return <p className="soft">No line differs.</p>
  return (
    <div className="diff">
      <table aria-label="Changed lines">
        {hunks.map(({ lines }) => (
          <tbody key={`${lines[0]?.kind} ${String(lines[0]?.number)}`}>
            {lines.map((line) => (
              <Line key={`${line.kind} ${String(line.number)}`} {...line} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

const SIGNS = { same: ['', ''], added: ['+', 'added'], removed: ['−', 'removed'] } as const

function Line({ kind, number, pieces }: DiffLine) {
  const [sign, word] = SIGNS[kind]
  return (
    <tr className={`diff-${kind}`}>
      <td className="diff-number">{number}</td>
      <td className="diff-sign">
        <span aria-hidden>{sign}</span>
        {word !== '' && <span className="unseen">{word}</span>}
      </td>
      <td className="code">
        {pieces.map(({ text, is_changed }, at) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other identity
          is_changed ? <mark key={at}>{text}</mark> : text,
        )}
      </td>
    </tr>
  )
}
