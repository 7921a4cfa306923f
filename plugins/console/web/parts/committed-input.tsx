// An input whose change counts once it is left, or Enter is pressed: until then it is only typed.
import { type KeyboardEvent, useState } from 'react'
import { TextInput, type TextInputProps, UnitInput } from './input.tsx'

export interface CommittedInputProps extends Omit<TextInputProps, 'onChange' | 'onBlur' | 'onKeyDown'> {
  /** Told of a text that is not the value. */
  commit: (text: string) => void
  unit?: string
}

export function CommittedInput({ value, commit, unit, ...rest }: CommittedInputProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const finish = () => {
    if (typed !== null && typed.trim() !== value) commit(typed.trim())
    setTyped(null)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      finish()
    }
    if (event.key === 'Escape' && typed !== null) {
      event.stopPropagation()
      setTyped(null)
    }
  }
  const shared = { ...rest, value: typed ?? value, onChange: setTyped, onBlur: finish, onKeyDown }
  return unit === undefined ? <TextInput {...shared} /> : <UnitInput unit={unit} {...shared} />
}
