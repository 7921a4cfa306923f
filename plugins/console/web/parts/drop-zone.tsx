// A place to drop files on, or to choose them by a button.
import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useState } from 'react'
import { names } from './class-names.ts'
import { FileButton } from './file-button.tsx'

interface DropZoneProps {
  onFiles: (files: File[]) => void
  busy: boolean
  /** On the button: "Upload images". */
  verb: string
  children?: ReactNode
}

export function DropZone({ onFiles, busy, verb, children }: DropZoneProps) {
  const [is_over, setOver] = useState(false)

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
      <FileButton icon={Upload} busy={busy} onFiles={onFiles}>
        {verb}
      </FileButton>
      <span className="soft">{children}</span>
    </div>
  )
}
