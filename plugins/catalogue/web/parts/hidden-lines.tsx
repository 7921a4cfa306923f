// A list of write-only values, such as keys and headers, with buttons to replace, remove and add.
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { Button } from '../../../console/web/parts/button.tsx'
import type { Draft } from './draft.ts'
import type { Path } from './values.ts'

interface HiddenLinesProps {
  draft: Draft
  list: Path
  /** `at`: index or key in the list; `words`: visible text; `name`: for the buttons' labels. */
  lines: readonly { at: string | number; words: string; name: string }[]
  noun: string
  onReplace: (at: string | number) => void
  onAdd: () => void
}

export function HiddenLines({ draft, list, lines, noun, onReplace, onAdd }: HiddenLinesProps) {
  return (
    <>
      {draft.mistakeAt(list) && <p className="field-error">{draft.mistakeAt(list)}</p>}
      {lines.length > 0 && (
        <ul className="key-lines">
          {lines.map(({ at, words, name }) => {
            const own = [...list, at]
            return (
              <li key={`${words} ${String(at)}`}>
                <span className="spread">
                  <span className="code">{words}</span>
                  <span className="row">
                    <Button small icon={Pencil} onClick={() => onReplace(at)}>
                      Replace
                    </Button>
                    <Button
                      small
                      look="quiet"
                      icon={Trash2}
                      aria-label={`Remove ${name}`}
                      onClick={() => draft.put(own, undefined)}
                    />
                  </span>
                </span>
                {draft.mistakeAt(own) && <p className="field-error">{draft.mistakeAt(own)}</p>}
              </li>
            )
          })}
        </ul>
      )}
      <div>
        <Button small icon={Plus} onClick={onAdd}>
          Add a {noun}
        </Button>
      </div>
    </>
  )
}
