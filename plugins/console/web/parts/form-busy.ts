// Whether the form around a button is being sent.
import { createContext, useContext } from 'react'

export const FormBusy = createContext(false)
export const useFormBusy = (): boolean => useContext(FormBusy)
