// The text editor of the catalogue, with line numbers and marks at lines with problems.
import { useId, useRef } from 'react'
import { classNames } from '../../../console/web/parts/class-names.ts'
import { type Block, type Mistake, namedPath } from '../parts/values.ts'

interface EditorProps {
  text: string
  values: Block | null
  onChange: (text: string) => void
  mistakes: readonly Mistake[]
  warnings: readonly Mistake[]
}

export function Editor({ text, values, onChange, mistakes, warnings }: EditorProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const lines = text.split('\n').length

  const goTo = (line: number) => {
    const before = text.split('\n').slice(0, line - 1)
    const start = before.reduce((sum, each) => sum + each.length + 1, 0)
    const end = text.indexOf('\n', start)
    const field = area.current
    if (!field) return
    field.focus()
    field.setSelectionRange(start, end < 0 ? text.length : end)
    const line_height_px = field.scrollHeight / field.rows
    field.closest('.editor')?.scrollTo({ top: Math.max(0, (line - 3) * line_height_px) })
  }

  return (
    <div className="stack">
      <div className="editor">
        <Gutter lines={lines} mistakes={mistakes} warnings={warnings} />
        <textarea
          ref={area}
          aria-label="Text of the catalogue file"
          aria-describedby={`${id}-problems`}
          aria-invalid={mistakes.length > 0 || undefined}
          className="code"
          wrap="off"
          rows={lines}
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      <div id={`${id}-problems`} className="stack" aria-live="polite">
        <Problems title="Mistakes" tone="bad" problems={mistakes} {...{ values, goTo }} />
        <Problems title="Warnings" tone="warn" problems={warnings} {...{ values, goTo }} />
      </div>
    </div>
  )
}

interface GutterProps {
  lines: number
  mistakes: readonly Mistake[]
  warnings: readonly Mistake[]
}

function Gutter({ lines, mistakes, warnings }: GutterProps) {
  const mistaken_lines = new Set(mistakes.map(({ line }) => line))
  const warned_lines = new Set(warnings.map(({ line }) => line))
  return (
    <div className="gutter code" aria-hidden>
      {Array.from({ length: lines }, (_, at) => {
        const line = at + 1
        const tone = mistaken_lines.has(line) ? 'bad' : warned_lines.has(line) ? 'warn' : undefined
        return (
          <span key={line} className={classNames(tone && `marked tone-${tone}`)}>
            {line}
          </span>
        )
      })}
    </div>
  )
}

interface ProblemsProps extends Pick<EditorProps, 'values'> {
  title: string
  tone: 'bad' | 'warn'
  problems: readonly Mistake[]
  goTo: (line: number) => void
}

function Problems({ title, tone, problems, values, goTo }: ProblemsProps) {
  if (problems.length === 0) return null
  return (
    <section aria-label={title}>
      <h3 className={`status-${tone}`}>
        {title}: {problems.length}
      </h3>
      <ul className="problems">
        {problems.map(({ path, line, message }) => (
          <li key={`${String(line)} ${path}`}>
            <button type="button" onClick={() => goTo(line)}>
              Line {line}
            </button>
            <span>
              {path !== '' && <code>{namedPath(path, values)}</code>} {message}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
