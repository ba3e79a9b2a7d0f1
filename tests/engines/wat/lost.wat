;; SPDX-License-Identifier: Apache-2.0
;;
;; A module that says its results lie outside its memory. It cannot even
;; describe itself.
(module
  (memory (export "memory") 1)
  (func (export "mica_module_exchange") (result i32) (i32.const 0xFFFFFFF8))
  (func (export "mica_module_describe") (result i32) (i32.const 0))
  (func (export "mica_module_input") (param i32) (result i32) (i32.const 4096))
  (func (export "mica_module_run") (param i32) (result i32) (i32.const 0)))
