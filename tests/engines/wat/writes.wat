;; SPDX-License-Identifier: Apache-2.0
;;
;; Writes in every way that there is, far apart and across the borders that the
;; sandbox may keep books by. Before it does it looks through all of its memory:
;; the result is {"n":0} when everything but its own data was zero.
;; The first byte of the arguments says how to write; the second one, if it is
;; 'e', has it write past the end.
(module
  (memory (export "memory") 1 4)
  (data (i32.const 2048) "{\"n\":0}")
  (data $passive "\01\02\03\04\05\06\07\08")

  (func $leave (param $status i32) (param $at i32) (param $size i32) (result i32)
    (i32.store (i32.const 16) (local.get $status))
    (i32.store (i32.const 20) (local.get $at))
    (i32.store (i32.const 24) (local.get $size))
    (local.get $status))

  ;; 1 when a byte from 2056 to the end is not zero; arguments lie below.
  (func $look (result i32) (local $at i32)
    (local.set $at (i32.const 2056))
    (loop $next
      (if (i64.ne (i64.load (local.get $at)) (i64.const 0))
        (then (return (i32.const 1))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $next (i32.lt_u (local.get $at)
                             (i32.mul (memory.size) (i32.const 65536)))))
    (i32.const 0))

  (func $write (param $how i32) (param $at i32)
    (if (i32.eq (local.get $how) (i32.const 97)) ;; a
      (then (i32.store8 (local.get $at) (i32.const -1))))
    (if (i32.eq (local.get $how) (i32.const 98)) ;; b
      (then (i32.store16 (local.get $at) (i32.const -1))))
    (if (i32.eq (local.get $how) (i32.const 99)) ;; c
      (then (i32.store (local.get $at) (i32.const -1))))
    (if (i32.eq (local.get $how) (i32.const 100)) ;; d
      (then (i64.store8 (local.get $at) (i64.const -1))))
    (if (i32.eq (local.get $how) (i32.const 101)) ;; e
      (then (i64.store16 (local.get $at) (i64.const -1))))
    (if (i32.eq (local.get $how) (i32.const 102)) ;; f
      (then (i64.store32 (local.get $at) (i64.const -1))))
    (if (i32.eq (local.get $how) (i32.const 103)) ;; g
      (then (i64.store (local.get $at) (i64.const -1))))
    (if (i32.eq (local.get $how) (i32.const 104)) ;; h
      (then (f32.store (local.get $at) (f32.const 1.1))))
    (if (i32.eq (local.get $how) (i32.const 105)) ;; i
      (then (f64.store (local.get $at) (f64.const 1.1))))
    (if (i32.eq (local.get $how) (i32.const 106)) ;; j
      (then (memory.fill (local.get $at) (i32.const 255) (i32.const 8))))
    (if (i32.eq (local.get $how) (i32.const 107)) ;; k
      (then (memory.copy (local.get $at) (i32.const 1024) (i32.const 8))))
    (if (i32.eq (local.get $how) (i32.const 108)) ;; l
      (then (memory.init $passive (local.get $at) (i32.const 0) (i32.const 8))))
    (if (i32.eq (local.get $how) (i32.const 109)) ;; m: nothing, at most
      (then (memory.fill (local.get $at) (i32.const 255) (i32.const 0)))))

  (func (export "mica_module_exchange") (result i32) (i32.const 16))
  (func (export "mica_module_input") (param i32) (result i32) (i32.const 512))

  (func (export "mica_module_run") (param $size i32) (result i32)
    (local $how i32) (local $was i32)
    (local.set $how (i32.load8_u (i32.const 512)))
    (local.set $was (call $look))
    (if (i32.eq (i32.load8_u (i32.const 513)) (i32.const 101))
      (then (call $write (local.get $how) (i32.const 65535))
            (call $write (local.get $how) (i32.const 65536))))
    ;; Up, down, across the borders of what is kept, to the last byte.
    (call $write (local.get $how) (i32.const 20000))
    (call $write (local.get $how) (i32.const 20479))
    (call $write (local.get $how) (i32.const 9213))
    (call $write (local.get $how) (i32.const 5119))
    (call $write (local.get $how) (i32.const 2059))
    (call $write (local.get $how) (i32.const 61437))
    (call $write (local.get $how) (i32.const 65528))
    (drop (memory.grow (i32.const 1)))
    (call $write (local.get $how) (i32.const 65533))
    (call $write (local.get $how) (i32.const 131064))
    (drop (memory.grow (i32.const 1)))
    (call $write (local.get $how) (i32.const 150000))
    (i32.store8 (i32.const 2053) (i32.add (i32.const 48) (local.get $was)))
    (call $leave (i32.const 0) (i32.const 2048) (i32.const 7))))
