// A button that chooses image files from this device.
import type { LucideIcon } from 'lucide-react'
import { useRef } from 'react'
import { Button, type Look } from './button.tsx'
import { ACCEPTED } from './upload.ts'

export interface FileButtonProps {
  onFiles: (files: File[]) => void
  busy: boolean
  icon: LucideIcon
  look?: Look
  disabled?: boolean
  /** What it says: "Upload images". */
  children: string
}

export function FileButton({ onFiles, children, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
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
      <Button {...button} onClick={() => input.current?.click()}>
        {children}
      </Button>
    </>
  )
}
