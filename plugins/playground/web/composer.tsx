// The composer of a request: a question, pictures sent with it, and the buttons that send and stop.
import { ImagePlus, type LucideIcon, Square } from 'lucide-react'
import type { ClipboardEvent, DragEvent, KeyboardEvent, ReactNode } from 'react'
import { Button } from '../../console/web/parts/button.tsx'
import { FileButton } from '../../console/web/parts/files.tsx'
import { TextArea } from '../../console/web/parts/input.tsx'
import { PickedPictures, useUploads } from './pictures.tsx'
import type { Draft } from './request.ts'

interface ComposerProps {
  draft: Draft
  set: (some: Partial<Draft>) => void
  account: string | undefined
  label: string
  placeholder: string
  max_pictures: number
  verb: string
  icon: LucideIcon
  onSend: () => void
  /** Undefined while nothing can be stopped. */
  onStop: (() => void) | undefined
  sum: ReactNode
  children?: ReactNode
}

/** Enter sends; with Shift it is a new line. Esc stops the answer. A picture can be pasted, or dropped. */
export function Composer(props: ComposerProps) {
  const { draft, set, account, label, placeholder, max_pictures, verb, icon, onSend, onStop } = props
  const { question, pictures } = draft
  const uploads = useUploads(account, (added) =>
    set({ pictures: [...pictures, ...added].slice(-max_pictures) }),
  )
  function press(event: KeyboardEvent): void {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      onSend()
    }
    if (event.key === 'Escape') onStop?.()
  }
  function take(event: ClipboardEvent | DragEvent, { files }: DataTransfer): void {
    if (files.length === 0) return
    event.preventDefault()
    if (!uploads.busy) uploads.add([...files].slice(0, max_pictures))
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same by the keyboard
    <div
      className="play-composer"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer)}
    >
      <PickedPictures
        pictures={pictures}
        onRemove={(removed) => set({ pictures: pictures.filter(({ id }) => id !== removed) })}
      />
      <TextArea
        aria-label={label}
        placeholder={placeholder}
        rows={3}
        value={question}
        onChange={(question) => set({ question })}
        onKeyDown={press}
        onPaste={(event: ClipboardEvent) => take(event, event.clipboardData)}
      />
      <div className="spread play-composer-foot">
        <div className="row">
          <FileButton look="quiet" icon={ImagePlus} busy={uploads.busy} onFiles={uploads.add}>
            Add an image
          </FileButton>
          {props.children}
        </div>
        <div className="row">
          {props.sum}
          <span className="small soft play-composer-keys" title="Shift+Enter adds a line">
            Enter sends
          </span>
          {onStop ? (
            <Button icon={Square} onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button look="primary" icon={icon} onClick={onSend} disabled={question.trim() === ''}>
              {verb}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}
