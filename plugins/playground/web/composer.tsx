// The composer: a message, pictures sent with it, and the buttons that send and stop.
import { ImagePlus, Send, Square } from 'lucide-react'
import type { ClipboardEvent, KeyboardEvent, ReactNode } from 'react'
import { Button } from '../../console/web/parts/button.tsx'
import { FileButton } from '../../console/web/parts/file-button.tsx'
import { TextArea } from '../../console/web/parts/input.tsx'
import { PickedPictures } from './picked-pictures.tsx'
import type { Reference } from './reference.ts'
import { useUploads } from './use-uploads.ts'

export interface ComposerProps {
  value: string
  onChange: (value: string) => void
  pictures: readonly Reference[]
  onPictures: (pictures: readonly Reference[]) => void
  account: string | undefined
  onSend: () => void
  onStop: () => void
  is_streaming: boolean
  /** The estimated cost of sending. */
  sum: string | undefined
  /** Further buttons. */
  children: ReactNode
}

/** Enter sends; with Shift it is a new line. Esc stops the answer. A picture can be pasted. */
export function Composer(props: ComposerProps) {
  const { value, onChange, pictures, onPictures, account, onSend, onStop, is_streaming, sum, children } =
    props
  const uploads = useUploads(account, (added) => onPictures([...pictures, ...added]))

  function press(event: KeyboardEvent): void {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      onSend()
    }
    if (event.key === 'Escape' && is_streaming) onStop()
  }
  function paste(event: ClipboardEvent): void {
    const files = [...event.clipboardData.files]
    if (files.length === 0) return
    event.preventDefault()
    uploads.add(files)
  }
  return (
    <div className="play-composer">
      {pictures.length > 0 && (
        <div className="play-references">
          <PickedPictures
            pictures={pictures}
            onRemove={(removed) => onPictures(pictures.filter(({ id }) => id !== removed))}
          />
        </div>
      )}
      <TextArea
        aria-label="Message"
        placeholder="Write a message"
        rows={3}
        value={value}
        onChange={onChange}
        onKeyDown={press}
        onPaste={paste}
      />
      <div className="spread play-composer-foot">
        <div className="row">
          <FileButton look="quiet" icon={ImagePlus} busy={uploads.busy} onFiles={uploads.add}>
            Add a picture
          </FileButton>
          {children}
        </div>
        <div className="row">
          {sum !== undefined && <span className="small soft">{sum}</span>}
          <span className="small soft play-composer-keys" title="Shift+Enter adds a line">
            Enter sends
          </span>
          {is_streaming ? (
            <Button icon={Square} onClick={onStop}>
              Stop
            </Button>
          ) : (
            <Button look="primary" icon={Send} onClick={onSend} disabled={value.trim() === ''}>
              Send
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}
