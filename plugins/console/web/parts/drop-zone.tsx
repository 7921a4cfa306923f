// A place to drop files on, or to choose them by a button.
import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { names } from './class-names.ts'
import { ACCEPTED } from './upload.ts'

export interface DropZoneProps {
  onFiles: (files: File[]) => void
  busy: boolean
  /** On the button: "Upload images". */
  verb: string
  children?: ReactNode
}

export function DropZone({ onFiles, busy, verb, children }: DropZoneProps) {
  const [is_over, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()

  function drop(event: DragEvent): void {
    event.preventDefault()
    setOver(false)
    const files = [...event.dataTransfer.files]
    if (files.length > 0 && !busy) onFiles(files)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button within does the same by the keyboard
    <div
      className={names('drop-zone', is_over && 'drop-zone-over')}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        ref={input}
        id={id}
        type="file"
        accept={ACCEPTED}
        multiple
        hidden
        onChange={(event) => {
          const files = [...(event.target.files ?? [])]
          // The same file can be chosen again.
          event.target.value = ''
          if (files.length > 0) onFiles(files)
        }}
      />
      <Button icon={Upload} busy={busy} onClick={() => input.current?.click()}>
        {verb}
      </Button>
      <span className="soft">{children}</span>
    </div>
  )
}
