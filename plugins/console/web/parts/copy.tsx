// Copy button, also for pages on plain HTTP, where browsers have no clipboard API.
import { Check, Copy as CopyIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { announce } from '../app/announce.ts'
import { Button } from './button.tsx'

const SHOWN_MS = 1_500

/** @returns whether the text is in the clipboard */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Plain HTTP on a host other than localhost has no clipboard API; execCommand still works there.
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  // Within an open dialog, because the focus cannot leave it.
  const parent = document.querySelector('[role="dialog"]') ?? document.body
  parent.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}

interface CopyProps {
  text: string
  /** What the button copies: "request id". */
  what: string
  /** The button's text; without it, the button is an icon. */
  label?: string
  look?: 'plain' | 'primary' | 'quiet'
}

export function Copy({ text, what, label, look = 'quiet' }: CopyProps) {
  const [copied, setCopied] = useState<boolean | null>(null)
  useEffect(() => {
    if (copied === null) return
    const timer = setTimeout(() => setCopied(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])

  async function copy(): Promise<void> {
    const done = await copyText(text)
    setCopied(done)
    announce(done ? `Copied the ${what}.` : `The ${what} could not be copied. Select and copy it yourself.`)
  }

  const icon = copied ? Check : CopyIcon
  if (label === undefined)
    return <Button look={look} small icon={icon} aria-label={`Copy ${what}`} onClick={() => void copy()} />
  return (
    <Button look={look} icon={icon} onClick={() => void copy()}>
      {copied ? 'Copied' : label}
    </Button>
  )
}
